/** Astronomy with and without a telescope. */
export const sky = `
Q: How far away are the stars?
A: The nearest one after the sun is a little more than four light years away. Its light set out when you were four years younger. Most of the stars that you can see without a telescope are within a thousand light years, which is our own village in the galaxy.
---
Q: Why do stars twinkle?
A: Their light comes as a very thin beam, and on its way through our moving air the beam is bent a little to and fro. So the star seems to jump and flicker. Planets are near enough to be small discs, and the flickering of all their points evens out, so they shine with a steady light.
---
Q: How can I tell a planet from a star?
A: A planet does not twinkle, and it lies near the path that the sun takes during the day. If you look again after a week, it will have moved among the stars. Venus is the bright one after sunset or before dawn, Jupiter is nearly as bright and stays up all night, and Mars has the colour of rust.
---
Q: Why does the moon change its shape?
A: The moon always has one bright half, the one that faces the sun. While it goes round us we see that half from different sides. When it stands between us and the sun we see only the dark half, and that is the new moon. Two weeks later it is on the far side, and we see the whole bright half.
---
Q: What is a solar eclipse?
A: Now and then the new moon passes exactly in front of the sun, and its shadow runs across the Earth. Where the middle of the shadow falls, the day turns dark for a few minutes. Birds go silent, the air becomes cool, and around the black disc you see a white crown of thin, hot gas. Never look at the sun without a proper filter, except in the minutes when it is covered completely.
---
Q: What is a black hole?
A: A black hole is a place where so much matter is packed into so little room that nothing which comes too close can leave again, not even light. Many of them are what is left of large stars that have burnt out. They do not suck everything in. If the sun were turned into one, the Earth would go on circling it as before, only in the cold.
---
Q: What is the Milky Way?
A: It is our own galaxy, seen from the inside. It is a flat disc of some hundred billion stars, and we live about halfway out. When you look along the disc, so many stars lie behind one another that they run together into a pale band. When you look out of the disc, you see only the few that are near.
---
Q: Which telescope should a beginner buy?
A: None, at first. Buy binoculars that magnify seven or ten times, and learn the sky with them for a year. If you still want to see more, take a simple reflector with a mirror of fifteen centimetres or more on a mount that does not shake. Stay away from anything that promises a magnification of five hundred.
---
Q: What are shooting stars?
A: They are grains of dust, often no larger than a grain of sand, that run into our air at thirty kilometres a second or more. The air in front of them becomes so hot that it glows, and in a second it is over. Several times a year the Earth crosses the path of a comet, and then you can see dozens of them in an hour.
---
Q: Why is Pluto not a planet any more?
A: Because many others like it were found. Either there would have been dozens of planets in the end, or a line had to be drawn. Since then a planet has to have cleared its own path round the sun, and Pluto shares his with a whole belt of icy bodies. Pluto itself has not changed in the least.
---
Q: How old is the universe?
A: About 13.8 billion years. We know it from the speed at which galaxies move apart, and from a faint glow that fills the whole sky, the light of the time when the universe became clear for the first time.
---
Q: Is there life on other planets?
A: Nobody knows. There are very many planets, and the things that life is made of are found everywhere. On the other hand we have looked and listened for some time and have not heard a word. The honest answer is that we have searched a glass of water and are wondering about the ocean.
---
Q: How long would it take to fly to Mars?
A: With the rockets that we have, about seven months. And you cannot leave when you like: every twenty-six months the two planets stand in the right positions. If you miss the date, you wait for two years.
---
Q: What keeps the moon up?
A: Nothing does. The moon falls all the time. But it also moves sideways so fast that the Earth curves away under it as quickly as it falls, and so it never arrives. The same is true of every satellite.
---
Q: Why is there no sound in space?
A: Sound is a push that air passes on to the air beside it. Between the planets there is next to nothing that could be pushed. Two astronauts could shout at each other across a metre of emptiness and hear nothing, but if their helmets touched, the glass would carry the sound.
---
Q: How do I find the north star?
A: Find the Plough, the seven stars that look like a pan with a bent handle. Take the two stars at the far side of the pan and go on in the same direction, about five times as far as they are apart. You arrive at a star of middling brightness that stands rather alone. That is the one, and below it is north.
---
Q: What is a light year?
A: In spite of its name it is a distance. It is how far light travels in one year, and that is close to ten million million kilometres.
---
Q: Why is it dark at night?
A: The simple answer is that our side of the Earth is turned away from the sun. But if the universe were endless and had always been full of stars, you would see a star in every direction and the whole sky would shine. It is dark because the universe has not existed for long enough. The light of most of it is still on its way.
---
There is a hill outside the town where the lamps do not reach. On clear nights in August a few people go up there with blankets and flasks of tea, lie on their backs and wait. For the first ten minutes there is nothing but stars. Then somebody says: there. The others have missed it, of course. But after a while the eyes grow used to the dark and the talk dies down, and it begins to come on its own, a thin bright scratch here, another low above the trees, and once, at two in the morning, one so bright that it cast shadows, and left behind a trail that hung in the air and was slowly bent by a wind that none of us could feel.
---
The astronomer had worked on the same star for eleven years. It was a dull star, a little cooler than the sun, and all that was interesting about it was that it was not quite still. Every nine days it came towards her by the speed of a walking child, and every nine days it went away again. Something was pulling at it, something dark and round that nobody would ever see. She had told her mother about it once on the telephone. Her mother had thought for a moment. Then she had asked whether it was lonely there.
---
Take an orange for the sun and put it on the kitchen table. The Earth is then a grain of sand, and it belongs on the other side of the room, eleven metres away if you have such a kitchen. Jupiter is a cherry stone at the end of the street. Neptune is a small lentil three streets further on. And the nearest star, which is another orange, lies in a city on a different continent. Between the two oranges there is nothing worth mentioning. That is what is meant by space.
---
The first clear evening after a week of rain is the best time for looking at the moon. Choose the days around the half moon and not the full one. Along the line between light and dark the sun is just rising over the craters, every small hill throws a shadow as long as a county, and with a simple telescope you can watch, in the course of an hour, how the light climbs down the inside of a mountain ring that is older than anything on Earth.
`;
