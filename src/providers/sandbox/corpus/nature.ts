/** Animals, sea, rivers, woods. */
export const nature = `
Q: Why is the sea salty?
A: Rain washes a little salt out of the rocks, and the rivers carry it down. The water rises into the air again and leaves the salt behind. After some billions of years a litre of sea water holds about thirty-five grams of it. It does not become much saltier any more, since as much sinks to the bottom as the rivers bring.
---
Q: What causes the tides?
A: The moon pulls at the Earth, and it pulls a little harder at the side that faces it than at the far side. So the oceans bulge on both sides, and the Earth turns under the bulges. That is why the water comes and goes twice a day. When the sun pulls in the same line the tides are higher, and that happens at full moon and at new moon.
---
Q: How do birds know where to fly in winter?
A: They have several compasses at once. They read the stars, they know how the sun moves, and they can feel the direction of the Earth's magnetic field, it seems even see it. Young cuckoos fly to Africa alone, without ever having met their parents, so the way must be written in them somewhere.
---
Q: How do fish breathe?
A: A fish takes water in through the mouth and presses it out through the gills. The gills are full of fine red threads with very thin skin. The oxygen that is dissolved in the water goes through the skin into the blood, and it does so all the better because water and blood flow in opposite directions.
---
Q: Why do cats purr?
A: They purr when they are content, but also when they are hurt or afraid. A muscle in the throat opens and closes the passage of air some twenty-five times a second. It may be that the trembling helps to heal bones. And it certainly helps to get breakfast.
---
Q: How do I teach my dog to sit?
A: Hold a small piece of food in front of his nose and move it slowly up and back over his head. To keep looking at it he has to sit down. In that moment say sit, and give it to him. Do this five times, then stop while he still enjoys it. After a few days the word is enough.
---
Q: How long do trees live?
A: A birch becomes a hundred years old, an oak five hundred and more, and in dry mountains there are pines that were already growing when the pyramids were built. What kills a tree is seldom age. It is the wind, a fungus, or somebody with a plan.
---
Q: How do I tell the age of a tree?
A: If it has been felled, count the rings: one light and one dark make a year. If it is standing, measure round the trunk at the height of your chest and divide the centimetres by two and a half. This gives you a fair guess for a tree in a field. In a wood they grow more slowly, so add a third.
---
Q: What do hedgehogs eat?
A: Beetles, caterpillars, worms and slugs, and now and then an egg. They should not be given milk, because it makes them ill. A shallow dish of water does them good in a hot summer.
---
Q: Do bats see with their ears?
A: In a way they do. They call in tones that are too high for us and listen to the echo. From the time it takes they know how far away a moth is, and from its pitch whether the moth is coming or going. They are not blind, by the way. Their eyes are good enough for the dusk.
---
Q: Why do leaves fall from the trees?
A: Because they cost more in winter than they earn. A leaf loses water all the time, and from frozen ground the tree cannot fetch any. So it closes the stalk with a thin layer of cork, and the next wind does the rest.
---
Q: What is a glacier?
A: A glacier is a river of ice. Where more snow falls than melts, it is pressed together over the years until it is blue and hard. When it is thick enough it begins to flow down the valley under its own weight, by a hand's breadth or a metre a day, and it takes along whole rocks as if they were nothing.
---
Q: How are mountains made?
A: The crust of the Earth consists of large plates that move about as fast as your finger nails grow. Where two of them push against each other the rock is folded and piled up. Rain, frost and rivers begin to carry it down at once. A mountain is high as long as the pushing is faster than the carrying.
---
Q: What should I do if I meet a bear?
A: Stand still and speak in a calm, low voice, so that it knows you are a person. Do not run, for it runs faster. Move slowly sideways and away, and keep your eyes on it without staring. Most bears want the same as you do: to get out of this with dignity.
---
Q: How do ants find food?
A: One of them walks about at random until she comes upon something. On the way home she leaves a scent on the ground. The others follow it, and each one that finds food there makes the scent stronger. A short way is walked more often than a long one, and so the short ways win without anybody having planned it.
---
Q: Are spiders insects?
A: No. Insects have six legs and a body in three parts. Spiders have eight legs and a body in two, and they belong with the scorpions and mites. They do us a service, since all the spiders in a field eat more flies than the birds do.
---
The river does not know where it is going. It knows only which way is down. It tries every side, turns back before a rock, rests in a bend, gives up half of its water to a meadow and takes it back a mile later. From the air it looks like a plan. If you follow it on foot you see that it is nothing but a very long series of small decisions, every one of them the easiest at the time, and that it has nevertheless cut through a mountain.
---
At low tide you can walk to the island. The way is marked with poles, and beside it there is a wooden box on legs, with a ladder, for people who have set out too late. I once sat in it for five hours. The water came from all sides, without a sound, first in the ripples, then in the grooves, and then there was no more sand. I had an apple and a newspaper. A seal put his head out, looked at me for a long time, as one looks at somebody in a waiting room, and went on with his day.
---
In the wood behind the village there is a place where it is always quiet. No path leads there. You find it when you have stopped looking for mushrooms. Beeches stand in a ring, very old, with bark like the skin of elephants, and in the middle lies one that has fallen. It must have happened long ago, because moss has grown over it, and out of the moss, in one straight line, like children on a wall, grow forty small beeches.
---
Swifts come on the first of May and leave on the first of August. In between they do not sit down, except on their eggs. They eat in the air, they drink in the air, they gather feathers for the nest in the air, and at night they climb up high and sleep there, on the wing, in wide circles. The young ones drop out of the nest one morning and do not touch anything solid for two years. When I hear them screaming round the church tower I think that summer is something which they bring and take away again, in their own time, and lend to us.
---
Q: Explain tides to a child.
A: The moon is far away, but it pulls at the sea a little, like a very gentle magnet. On the side under the moon the water is pulled into a low, wide hill, and there is another hill on the far side of the Earth. As the Earth turns, your beach passes through both hills. Then the water is high, and in between it is low, and that is what we call the tides.
`;
